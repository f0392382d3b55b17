create_table "managed_licenses" do |t|
  t.string "approval_status", default: "approved"
end
add_index "runners", ["status"], where: "status = 'paused'"
