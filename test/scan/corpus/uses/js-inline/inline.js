const res = await fetch("https://code.example.com/api/v4/runners?" + new URLSearchParams({ status: "active" }));
