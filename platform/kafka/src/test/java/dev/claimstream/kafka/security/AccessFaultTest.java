package dev.claimstream.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.Test;

/** Which exceptions of a connection are faults that a retry does not end. */
final class AccessFaultTest {
    private static Throwable handshake(String message, IOException cause) {
        var failure = new SSLHandshakeException(message);
        failure.initCause(cause);
        return failure;
    }

    @Test
    void connectionThatEndsDuringTheHandshakeIsNoFault() {
        var eof = handshake("Remote host terminated the handshake", new EOFException("SSL peer shut down incorrectly"));
        assertThat(AccessFault.of(new IOException(eof))).isEmpty();
        assertThat(AccessFault.of(new SSLException("Connection reset", new SocketException("Connection reset"))))
                .isEmpty();
    }

    @Test
    void rejectedCertificateIsAFaultAlsoIfTheConnectionEnds() {
        assertThat(AccessFault.of(handshake("Received fatal alert: certificate_required", new EOFException("closed"))))
                .contains(AccessFault.CLIENT_CERTIFICATE_REJECTED);
    }

    @Test
    void otherHandshakeErrorIsAFault() {
        assertThat(AccessFault.of(new SslAuthenticationException(
                        "SSL handshake failed", new SSLHandshakeException("no cipher suites in common"))))
                .contains(AccessFault.HANDSHAKE_FAILED);
    }
}
