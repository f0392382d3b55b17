class Client
  # GET https://code.example.com/api/v4/runners?status=paused
  def runners(status: "online")
    get("/api/v4/runners", query: { status: status })
  end

  def paused?(vm)
    vm["status"] == "paused"
  end
end
