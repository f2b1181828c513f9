import type { FastifyInstance } from "fastify";

/** Bodies are JSON. None at all is an empty object: what is required is then named as missing. */
export function addJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>(
    "application/json",
    { parseAs: "string" },
    (request, text, done) => {
      if (text === "") done(null, {});
      else void parse(request, text, done);
    },
  );
  app.addHook("preValidation", async (request) => {
    request.body ??= {};
  });
}
