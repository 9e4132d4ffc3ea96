import type { Request } from "express";
import { authorise } from "../core/access.js";
import { invalidRequest } from "../core/errors.js";
import type { Caller, ScopeRequest } from "../services/index.js";
import { capabilitiesOf, type Route } from "./define-route.js";
import { toFieldErrors } from "./problem.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { z } from "./zod.js";

/** The scope fields alone; whatever stands beside them is looked at later. */
const ScopeFields = z.object(scopeFields).superRefine(checkScope);

/**
 * Whether the caller may make this request at all, told from the route and the scope fields before anything else of the
 * request is looked at. Throws `invalid_request` naming scope fields that are wrong, else `forbidden`.
 */
export function authoriseRequest(route: Route, request: Request, caller: Caller): void {
  if (route.capability === null) return;
  authorise(caller, { capabilities: capabilitiesOf(route), scope: scopeOf(route, request) });
}

function scopeOf(route: Route, request: Request): ScopeRequest | undefined {
  if (route.scope === "none" || route.isAboutAllScopes?.(request.body) === true) return undefined;
  const parsed = ScopeFields.safeParse(route.scope === "body" ? request.body : request.query);
  if (!parsed.success) throw invalidRequest(toFieldErrors(parsed.error));
  return toScopeRequest(parsed.data);
}
