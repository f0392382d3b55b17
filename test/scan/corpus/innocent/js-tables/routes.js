// The API's paths, for https://code.example.com/api/v4
export const routes = {
  services: ["/projects/:id/services", "/projects/:id/services/:slug"],
  features: [{ path: "/features/repository_push_audit_event" }],
  clusters: { paths: ["/projects/:id/clusters", "/groups/:id/clusters"] },
};
