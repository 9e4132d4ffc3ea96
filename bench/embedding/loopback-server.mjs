// A process of its own that answers embedding requests of the OpenAI protocol at once, from one vector that it has.
import { createServer } from "node:http";

const dimensions = Number(process.argv[2]);
const vector = JSON.stringify(
  Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1) / Math.sqrt(dimensions)),
);
const entry = (index) => `{"object":"embedding","index":${index},"embedding":${vector}}`;

/** Replies by number of texts. */
const replies = new Map();

function replyTo(count) {
  if (!replies.has(count)) {
    replies.set(
      count,
      `{"object":"list","data":[${Array.from({ length: count }, (_, index) => entry(index)).join()}]}`,
    );
  }
  return replies.get(count);
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { input } = JSON.parse(Buffer.concat(chunks).toString());
  response.writeHead(200, { "content-type": "application/json" });
  response.end(replyTo(Array.isArray(input) ? input.length : 1));
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit(0));
