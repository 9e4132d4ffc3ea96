import express, { type Express } from "express";
import helmet from "helmet";
import { packageVersion } from "./package-version.js";
import { allRoutes, type RouteOptions } from "./routes/all-routes.js";
import { docsRouter } from "./routes/docs.js";
import { errorHandler, unknownRoute, type EdgeLog } from "./routes/error-handler.js";
import { localHostOnly } from "./routes/local-host-only.js";
import { mountRoutes, type EdgeContext } from "./routes/mount-routes.js";
import { openApiDocument } from "./routes/openapi-document.js";
import { requestId } from "./routes/request-id.js";

export interface AppOptions extends RouteOptions, EdgeContext {
  readonly log: EdgeLog;
  /** Folder with the API viewer's style and script. */
  readonly docsUiFolder: string;
  /** Names in the `Host` header that are served; `loopback` where absent. */
  readonly allowedHosts?: "loopback" | "any";
}

/** The HTTP application: middleware in order, on one page. */
export function createApp(options: AppOptions): Express {
  const routes = allRoutes(options);
  const app = express();
  app.disable("x-powered-by").set("etag", false).set("query parser", "simple");
  app.use(requestId);
  app.use(helmet({ strictTransportSecurity: false }));
  app.use((_request, response, next) => {
    response.set("Cache-Control", "no-store");
    // Once the process drains, a connection that is kept alive would bring one more request.
    if (options.drain.aborted) response.set("Connection", "close");
    next();
  });
  if (options.allowedHosts !== "any") app.use(localHostOnly);
  app.use(docsRouter(openApiDocument(routes, packageVersion()), options.docsUiFolder));
  app.use(mountRoutes(routes, options));
  app.use(unknownRoute);
  app.use(errorHandler(options.log));
  return app;
}
