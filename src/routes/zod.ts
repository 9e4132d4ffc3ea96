import { extendZodWithOpenApi } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";

// Every schema of the wire is made through this module, so that all of them can carry their OpenAPI description.
extendZodWithOpenApi(z);

export { z };
