const base = "https://code.example.com/api/v4";
export const read = (id, slug) => fetch(`${base}/projects/${id}/services/${slug}`, { headers: { "PRIVATE-TOKEN": token } });
export const list = (id) => fetch(base + "/projects/" + encodeURIComponent(id) + "/services");
