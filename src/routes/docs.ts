import express, { Router, type Response } from "express";
import helmet from "helmet";
import { otherMethod } from "./mount-routes.js";

/** The page, its script in a file of its own so that the page needs no inline script. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Memgate API</title>
    <link rel="icon" href="data:," />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="/docs/ui/swagger-ui.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/ui/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });\n`;

/** `GET /openapi.json` and `GET /docs`; `uiFolder` holds the page's own style and script, so nothing comes from elsewhere. */
export function docsRouter(document: object, uiFolder: string): Router {
  const router = Router();
  const json = JSON.stringify(document, null, 2);
  router.get("/openapi.json", (_request, response) => void send(response, "application/json", json));
  // The viewer styles elements inline and draws its icons from data URLs.
  const policy = helmet.contentSecurityPolicy({
    directives: {
      defaultSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", "data:"],
      upgradeInsecureRequests: null,
    },
  });
  router.get("/docs", policy, (_request, response) => void send(response, "text/html", PAGE));
  router.get("/docs/start.js", (_request, response) => void send(response, "text/javascript", START));
  router.all(["/openapi.json", "/docs", "/docs/start.js"], otherMethod(["get"]));
  router.use("/docs/ui", express.static(uiFolder, { index: false, maxAge: "1h" }));
  return router;
}

function send(response: Response, type: string, body: string): Response {
  return response.type(type).send(body);
}
