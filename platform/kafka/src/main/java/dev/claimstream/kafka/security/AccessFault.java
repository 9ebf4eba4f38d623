package dev.claimstream.kafka.security;

import java.io.EOFException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;

/** Why a server and a client that reach each other do not connect. */
public enum AccessFault {
    /** The server rejects the user, the password or the token. */
    CREDENTIALS_REJECTED("rejects the credentials"),
    /** The server does not offer the SASL mechanism of the client. */
    OTHER_MECHANISM("does not offer this SASL mechanism"),
    /** The client gets no token from the OAuth server. */
    NO_TOKEN("cannot be asked, because the token endpoint issues no token"),
    /** No trusted authority has signed the server's certificate. */
    UNTRUSTED_SERVER("has a certificate that no trusted authority has signed"),
    /** The server's certificate is not valid at this time. */
    EXPIRED_SERVER_CERTIFICATE("has an expired certificate"),
    /** The server's certificate is for other host names. */
    OTHER_HOST("has a certificate for other host names"),
    /** The server rejects the client's certificate, or the client has none. */
    CLIENT_CERTIFICATE_REJECTED("rejects the certificate of this client"),
    /** Another error of the TLS handshake. */
    HANDSHAKE_FAILED("does not complete the TLS handshake");

    private static final int CAUSES_MAX = 20;

    private final String text;

    AccessFault(String text) {
        this.text = text;
    }

    /** The predicate of a sentence about the server. */
    public String text() {
        return text;
    }

    /** The fault that an exception reports; empty if it is another error, such as a missing response or a connection that ended. */
    public static Optional<AccessFault> of(Throwable thrown) {
        List<Throwable> chain = Stream.iterate(
                        Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .limit(CAUSES_MAX)
                .flatMap(Optional::stream)
                .toList();
        if (chain.stream().anyMatch(SaslAuthenticationException.class::isInstance)) {
            return Optional.of(CREDENTIALS_REJECTED);
        }
        if (chain.stream().anyMatch(UnsupportedSaslMechanismException.class::isInstance)) {
            return Optional.of(OTHER_MECHANISM);
        }
        if (chain.stream().anyMatch(LoginException.class::isInstance)) {
            return Optional.of(NO_TOKEN);
        }
        boolean isTls = chain.stream()
                .anyMatch(each -> each instanceof SslAuthenticationException || each instanceof SSLException);
        return isTls
                ? Optional.of(ofHandshake(
                                chain.stream().map(Throwable::toString).toList().toString()))
                        .filter(fault -> fault != HANDSHAKE_FAILED || !isInterrupted(chain))
                : Optional.empty();
    }

    /** Whether the connection ended during the handshake, as while a server restarts. A retry may succeed. */
    private static boolean isInterrupted(List<Throwable> chain) {
        return chain.stream()
                .anyMatch(each -> each instanceof EOFException
                        || each instanceof SocketException
                        || each instanceof ClosedChannelException);
    }

    private static AccessFault ofHandshake(String texts) {
        if (texts.contains("CertificateExpired") || texts.contains("CertificateNotYetValid")) {
            return EXPIRED_SERVER_CERTIFICATE;
        }
        if (texts.contains("path building failed")
                || texts.contains("path validation failed")
                || texts.contains("trustAnchors")) {
            return UNTRUSTED_SERVER;
        }
        if (texts.contains("No subject alternative") || texts.contains("No name matching")) {
            return OTHER_HOST;
        }
        return texts.contains("certificate_required")
                        || texts.contains("bad_certificate")
                        || texts.contains("certificate_unknown")
                ? CLIENT_CERTIFICATE_REJECTED
                : HANDSHAKE_FAILED;
    }
}
