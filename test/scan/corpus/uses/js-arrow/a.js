const list = async (params) => (await axios.get(`${base}/api/v4/runners`, { params })).data;
const gone = await axios.get(`${base}/api/v4/runners`, { params: new URLSearchParams([["status", "not_connected"]]) });
