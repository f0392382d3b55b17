defmodule A do
  @doc "GET https://code.example.com/api/v4/runners?status=paused"
  def paused?(vpn), do: vpn.status == "paused"
  def log, do: Logger.info("https://code.example.com/api/v4/runners?status=active")
end
