class Api {
  private url = "https://code.example.com/api/v4/runners";
  async paused(): Promise<Runner[]> {
    const res = await fetch(`${this.url}?status=paused`, { headers: this.headers });
    return res.json();
  }
}
