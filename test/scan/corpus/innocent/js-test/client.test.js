describe("GET /api/v4/projects/1/services", () => {
  it("https://code.example.com/api/v4/runners?status=paused", () => {
    expect(true).toBe(true);
  });
});
