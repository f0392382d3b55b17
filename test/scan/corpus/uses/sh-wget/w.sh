wget --header="PRIVATE-TOKEN: $T" -qO- "https://code.example.com/api/v4/runners?status=paused"
http "https://code.example.com/api/v4/runners" status==active PRIVATE-TOKEN:$T
