package dev.claimstream.kubernetes.api;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Describes exceptions of the network and of files without names of library types. */
final class FailureMessage {
    private FailureMessage() {}

    /** Returns the description of the first known exception in the chain of causes, otherwise the message of the root cause. */
    static String of(Throwable thrown) {
        Throwable first = thrown;
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            Optional<String> words = describe(each);
            if (words.isPresent()) {
                return words.get();
            }
            first = each;
        }
        return firstLine(first).orElse(first.getClass().getSimpleName());
    }

    private static Optional<String> describe(Throwable thrown) {
        return switch (thrown) {
            case UnknownHostException _, UnresolvedAddressException _ -> Optional.of("unknown host");
            case NoSuchFileException file -> Optional.of("%s does not exist".formatted(file.getFile()));
            case NoRouteToHostException _ -> Optional.of("no route to host");
            case HttpConnectTimeoutException _ -> Optional.of("connection timeout");
            case SSLException tls ->
                Optional.of("TLS handshake failed: " + firstLine(tls).orElse("connection closed"));
            case ConnectException refused -> describeConnectFailure(refused);
            default -> Optional.empty();
        };
    }

    /** Describes a failed connection. The JDK's HTTP client reports an unresolved host name as a refused connection. */
    private static Optional<String> describeConnectFailure(ConnectException refused) {
        for (Throwable each = refused.getCause(); each != null; each = each.getCause()) {
            if (each instanceof UnresolvedAddressException || each instanceof UnknownHostException) {
                return describe(each);
            }
        }
        return Optional.of(firstLine(refused).orElse("connection refused"));
    }

    private static Optional<String> firstLine(Throwable thrown) {
        return Optional.ofNullable(thrown.getMessage())
                .flatMap(text -> text.lines().findFirst());
    }
}
