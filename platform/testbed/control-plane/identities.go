package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The users of the API server. Permissions come from RBAC; system:masters needs none.
var identities = []identity{
	{"admin", "admin", []string{"system:masters"}},
	{"scheduler", "system:kube-scheduler", nil},
	{"controllers", "system:kube-controller-manager", []string{"system:masters"}},
	{"writer", "system:serviceaccount:claimstream:writer", []string{"system:serviceaccounts", "system:serviceaccounts:claimstream"}},
	{"watcher", "system:serviceaccount:claimstream:watcher", []string{"system:serviceaccounts", "system:serviceaccounts:claimstream"}},
	{"user", "user", nil},
}

type identity struct {
	name   string
	user   string
	groups []string
}

// The files of a control plane: one key with its certificate, and a token and a kubeconfig per user.
type credentials struct {
	key         string
	certificate string
	tokens      string
	admin       string
	authority   []byte
	kubeconfigs map[string]string
}

// newCredentials writes all of them. A restart in the same folder creates new ones.
func newCredentials(folder, server string) (credentials, error) {
	made := credentials{
		key:         filepath.Join(folder, "key.pem"),
		certificate: filepath.Join(folder, "certificate.pem"),
		tokens:      filepath.Join(folder, "tokens.csv"),
		kubeconfigs: map[string]string{},
	}
	key, certificate, err := selfSigned()
	if err != nil {
		return made, fmt.Errorf("no certificate: %w", err)
	}
	made.authority = certificate
	var tokens strings.Builder
	for _, who := range identities {
		token := randomToken()
		if who.name == "admin" {
			made.admin = token
		}
		fmt.Fprintf(&tokens, "%s,%s,%s,%q\n", token, who.user, who.name, strings.Join(who.groups, ","))
		made.kubeconfigs[who.name] = filepath.Join(folder, who.name+".kubeconfig")
		if err := os.WriteFile(made.kubeconfigs[who.name], kubeconfig(who.name, server, certificate, token), 0o600); err != nil {
			return made, err
		}
	}
	for path, content := range map[string][]byte{made.key: key, made.certificate: certificate, made.tokens: []byte(tokens.String())} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return made, err
		}
	}
	return made, nil
}

// selfSigned returns a key and a self-signed certificate for the loopback, both as PEM.
func selfSigned() (key, certificate []byte, err error) {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := x509.MarshalECPrivateKey(pair)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "control-plane"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, pair.Public(), pair)
	if err != nil {
		return nil, nil, err
	}
	key = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})
	return key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), nil
}

func randomToken() string {
	token := make([]byte, 16)
	_, _ = rand.Read(token) // never fails
	return hex.EncodeToString(token)
}

func kubeconfig(user, server string, authority []byte, token string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: control-plane
clusters:
- name: control-plane
  cluster: {server: %q, certificate-authority-data: %s}
users:
- name: %s
  user: {token: %s}
contexts:
- name: control-plane
  context: {cluster: control-plane, user: %s}
`, server, base64.StdEncoding.EncodeToString(authority), user, token, user)
}
