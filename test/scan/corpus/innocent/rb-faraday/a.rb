conn.get('/api/v4/projects/1/managed_licenses') { |req| req.headers['PRIVATE-TOKEN'] = token }
shop.post('https://shop.example.com/reviews') do |req|
  req.body = { approval_status: 'approved' }.to_json
end
