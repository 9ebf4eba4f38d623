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
            case UnknownHostException _, UnresolvedAddressException _ -> Optional.of("there is no host of this name");
            case NoSuchFileException file -> Optional.of("%s is not there".formatted(file.getFile()));
            case NoRouteToHostException _ -> Optional.of("there is no way to this host");
            case HttpConnectTimeoutException _ -> Optional.of("no connection in time");
            case SSLException tls ->
                Optional.of("no TLS with it: " + firstLine(tls).orElse("it broke off"));
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
        return Optional.of(firstLine(refused).orElse("the connection was refused, nothing listens there"));
    }

    private static Optional<String> firstLine(Throwable thrown) {
        return Optional.ofNullable(thrown.getMessage())
                .flatMap(text -> text.lines().findFirst());
    }
}
