require "openssl"

# Whether a delivery is the service's own: signature is its X-RR-Signature, body its bytes as received.
def genuine?(body, signature, signing_secret)
  # Everybody can sign with an empty key: without a secret nothing is genuine.
  return false if signing_secret.to_s.empty?

  OpenSSL.secure_compare("sha256=#{OpenSSL::HMAC.hexdigest("SHA256", signing_secret, body)}", signature)
end

# Try it: SIGNING_SECRET=whsec_… ruby verify.rb 'sha256=…' < body.json
if $PROGRAM_NAME == __FILE__
  if ARGV.length != 1
    warn "Usage: SIGNING_SECRET=whsec_... ruby verify.rb 'sha256=...' < body.json"
    exit 2
  end
  genuine = genuine?($stdin.binmode.read, ARGV.first, ENV["SIGNING_SECRET"])
  puts genuine ? "genuine" : "not genuine"
  exit genuine
end
