package dev.claimstream.cli.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Reads when certificates of servers and files expire. It sends nothing to a server but the TLS handshake. */
final class CertificateReader {
    private CertificateReader() {}

    /** Returns the first expiry in the chain that a TLS server presents. */
    static QueryResult<Instant> ofServer(String host, int port, Duration timeout) {
        var chain = new PresentedChain();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {chain}, null);
            try (var plain = new Socket()) {
                plain.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
                plain.setSoTimeout((int) timeout.toMillis());
                try (var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true)) {
                    if (!host.matches("[0-9.:\\[\\]]+")) {
                        SSLParameters parameters = socket.getSSLParameters();
                        parameters.setServerNames(List.of(new SNIHostName(host)));
                        socket.setSSLParameters(parameters);
                    }
                    socket.startHandshake();
                }
            }
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            if (chain.certificates.isEmpty()) { // a server that wants a client certificate has shown its own before
                return new QueryResult.Failure<>("no TLS handshake: " + e.getMessage());
            }
        }
        return first(chain.certificates);
    }

    /** Returns the first expiry of the certificates in a PEM file. */
    static QueryResult<Instant> ofFile(Path pem) {
        try (InputStream in = Files.newInputStream(pem)) {
            return first(CertificateFactory.getInstance("X.509").generateCertificates(in));
        } catch (IOException | GeneralSecurityException e) {
            return new QueryResult.Failure<>("it has no usable certificates: " + e.getMessage());
        }
    }

    private static QueryResult<Instant> first(Collection<? extends Certificate> certificates) {
        return certificates.stream()
                .filter(X509Certificate.class::isInstance)
                .map(each -> ((X509Certificate) each).getNotAfter().toInstant())
                .min(Comparator.naturalOrder())
                .<QueryResult<Instant>>map(QueryResult.Value::new)
                .orElseGet(() -> new QueryResult.Failure<>("there is no certificate"));
    }

    /** Accepts any chain and keeps it: doctor reads expired and untrusted certificates too, and sends nothing. */
    private static final class PresentedChain extends X509ExtendedTrustManager {
        private final List<X509Certificate> certificates = new ArrayList<>();

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            certificates.addAll(List.of(chain));
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            certificates.addAll(List.of(chain));
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            certificates.addAll(List.of(chain));
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new UnsupportedOperationException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            throw new UnsupportedOperationException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException("this is a client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
