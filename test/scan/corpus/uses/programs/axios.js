axios.get(`/groups/${id}/registry/repositories`, { headers, params: { tags: true, tags_count: 1 } });
