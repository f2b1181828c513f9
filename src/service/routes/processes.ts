import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { problems } from "../documented.ts";
import { EnvironmentPath, ProcessPath } from "../paths.ts";

type Deps = { environments: Environments };

/** Start processes, find them again, and act on them. */
export const processRoutes: FastifyPluginAsyncZod<Deps> = async (app, { environments }) => {
  app.route({
    method: "POST",
    url: "/environments/:id/processes",
    schema: {
      operationId: "startProcess",
      summary: "Start a process; the same process id with the same arguments is the same process",
      tags: ["processes"],
      params: EnvironmentPath,
      body: wire.StartProcess,
      response: { 201: wire.Process, ...problems },
    },
    handler: async (request, reply) => {
      const environment = environments.get(request.params.id);
      const options = { signal: request.waitSignal };
      const policy = environment.resolvePolicy(request.body.policy);
      const start = { ...request.body, policy };
      const process = await environment.call("outwork/process/start", start, options);
      return reply.code(201).send(process);
    },
  });

  app.route({
    method: "GET",
    url: "/environments/:id/processes",
    schema: {
      operationId: "listProcesses",
      summary: "List the processes of an environment, ended ones included",
      tags: ["processes"],
      params: EnvironmentPath,
      response: { 200: wire.ProcessList, ...problems },
    },
    handler: async (request) =>
      environments
        .get(request.params.id)
        .call("outwork/process/list", {}, { signal: request.waitSignal }),
  });

  app.route({
    method: "GET",
    url: "/environments/:id/processes/:process_id",
    schema: {
      operationId: "getProcess",
      summary: "Show one process",
      tags: ["processes"],
      params: ProcessPath,
      response: { 200: wire.Process, ...problems },
    },
    handler: async (request) => {
      const { id, process_id } = request.params;
      const options = { signal: request.waitSignal };
      return environments.get(id).call("outwork/process/get", { process_id }, options);
    },
  });

  app.route({
    method: "POST",
    url: "/environments/:id/processes/:process_id/stdin",
    schema: {
      operationId: "writeProcessStdin",
      summary: "Write to a process's stdin, once for each write id",
      tags: ["processes"],
      params: ProcessPath,
      body: wire.WriteStdin,
      response: { 200: wire.WriteStdinResult, ...problems },
    },
    handler: async (request) => {
      const { id, process_id } = request.params;
      const options = { signal: request.waitSignal };
      const write = { process_id, ...request.body };
      return environments.get(id).call("outwork/process/stdin", write, options);
    },
  });

  app.route({
    method: "POST",
    url: "/environments/:id/processes/:process_id/signal",
    schema: {
      operationId: "signalProcess",
      summary: "Send a signal to a process's group",
      tags: ["processes"],
      params: ProcessPath,
      body: wire.SignalProcess,
      response: { 200: wire.Delivered, ...problems },
    },
    handler: async (request) => {
      const { id, process_id } = request.params;
      const options = { signal: request.waitSignal };
      const signalling = { process_id, ...request.body };
      return environments.get(id).call("outwork/process/signal", signalling, options);
    },
  });

  app.route({
    method: "POST",
    url: "/environments/:id/processes/:process_id/terminate",
    schema: {
      operationId: "terminateProcess",
      summary: "End a process and everything that it has started",
      tags: ["processes"],
      params: ProcessPath,
      body: wire.TerminateProcess,
      response: { 200: wire.Delivered, ...problems },
    },
    handler: async (request) => {
      const { id, process_id } = request.params;
      const options = { signal: request.waitSignal };
      const ending = { process_id, ...request.body };
      return environments.get(id).call("outwork/process/terminate", ending, options);
    },
  });

  app.route({
    method: "POST",
    url: "/environments/:id/processes/:process_id/resize",
    schema: {
      operationId: "resizeProcess",
      summary: "Give a process's terminal another size",
      tags: ["processes"],
      params: ProcessPath,
      body: wire.TerminalSize,
      response: { 200: wire.Delivered, ...problems },
    },
    handler: async (request) => {
      const { id, process_id } = request.params;
      const options = { signal: request.waitSignal };
      const resizing = { process_id, size: request.body };
      return environments.get(id).call("outwork/process/resize", resizing, options);
    },
  });
};
