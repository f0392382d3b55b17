RSpec.describe Runner do
  it "was GET https://code.example.com/api/v4/runners?status=paused" do
    stub = { "status" => "paused" }
    expect(stub["status"]).to eq("paused")
  end
end
