require "json"
require "openssl"
require "sinatra"

TOLERANCE_SECONDS = 300
MAX_BYTES = 1_048_576

set :bind, "127.0.0.1"
set :port, ENV.fetch("PORT", "4000")
# In development Sinatra 4.1 refuses the public host name of a tunnel or proxy. Here the signature decides.
set :host_authorization, { permitted_hosts: [] }

post "/hooks" do
  # The bytes that were signed, before any JSON parser.
  payload = request.body.read(MAX_BYTES + 1).to_s
  refuse "The body is too large.", 413 if payload.bytesize > MAX_BYTES
  refuse "The delivery is not genuine." unless genuine?(payload, request.env, ENV["SIGNING_SECRET"])
  event = event_in(payload)
  # A delivery of another event's id is none of the service's.
  refuse "The delivery is of another event." unless event["id"] == request.env["HTTP_WEBHOOK_ID"]
  # Store it before the response: what is acknowledged is not sent again. It may come twice: remember the ids.
  warn "#{event["type"]} #{event["id"]}"
  status 204
end

def refuse(reason, status = 401)
  warn "Refused: #{reason}"
  halt status
end

# Whether a delivery is the service's own, and was sent in the last five minutes.
def genuine?(payload, env, signing_secret)
  id, sent_at, signatures = env.values_at("HTTP_WEBHOOK_ID", "HTTP_WEBHOOK_TIMESTAMP", "HTTP_WEBHOOK_SIGNATURE").map(&:to_s)
  # An id is ASCII: other bytes of a header are read differently by different servers.
  return false unless id.b.match?(/\A[!-~]+\z/n) && sent_at.match?(/\A\d+\z/)
  return false if (Time.now.to_i - sent_at.to_i).abs > TOLERANCE_SECONDS

  # "m0" is strict base64, which raises an ArgumentError.
  key = signing_secret.to_s.delete_prefix("whsec_").unpack1("m0")
  # Everybody can sign with an empty key: without a secret nothing is genuine.
  return false if key.empty?

  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent_at}.".b + payload.b)
  expected = "v1,#{[digest].pack("m0")}"
  # After a rotation there is a signature for each of the two secrets.
  signatures.split.any? { |each| OpenSSL.secure_compare(expected, each) }
rescue ArgumentError
  false
end

def event_in(payload)
  event = JSON.parse(payload)
  event.is_a?(Hash) ? event : {}
rescue JSON::ParserError
  {}
end

# Try it: gem install sinatra rackup puma
# SIGNING_SECRET=whsec_… ruby receiver.rb
