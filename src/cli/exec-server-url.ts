/** Where a service speaks the exec-server protocol for one environment. */
export function execServerUrl(serviceUrl: string, environmentId: string): URL {
  const base = serviceUrl.replace(/\/+$/, "");
  const url = new URL(`${base}/v1/environments/${encodeURIComponent(environmentId)}/exec-server`);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}
