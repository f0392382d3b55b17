conn = Faraday.new(url: 'https://gitlab.example.com')
conn.post('/api/v4/projects/1/managed_licenses') do |req|
  req.headers['PRIVATE-TOKEN'] = token
  req.body = { name: 'MIT', approval_status: 'approved' }.to_json
end
conn.get('/api/v4/runners') { |req| req.params['status'] = 'paused' }
