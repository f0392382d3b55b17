const response = await axios({
  method: "get",
  url: `${process.env.CI_API_V4_URL}/runners`,
  params: { status: "active" },
});
