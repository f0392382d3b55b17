require "net/http"

licenses = JSON.parse(Net::HTTP.get(URI("https://code.example.com/api/v4/projects/5/managed_licenses")))
expenses = Expense.where(approval_status: "approved")
expenses.each { |e| puts e[:approval_status] == "blacklisted" }
puts licenses.map { |l| l["name"] }
