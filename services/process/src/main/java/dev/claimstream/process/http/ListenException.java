package dev.claimstream.process.http;

import java.util.Optional;
import java.util.stream.Stream;

/** A service cannot listen at the address of its settings. The message has address, cause and remedy. */
public final class ListenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the message.
     *
     * @param settings prefix of the settings for host and port, such as {@code claimstream.console}
     * @param cause its root cause becomes part of the message
     */
    public ListenException(String host, int port, String settings, Throwable cause) {
        super(
                "cannot listen on %s:%d: %s: end the program that uses the port, or change %s.host or %s.port"
                        .formatted(host, port, reason(cause), settings, settings),
                cause);
    }

    /** The message of the root cause; its type if it has none, as for an unknown host. */
    private static String reason(Throwable thrown) {
        Throwable root = Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .reduce(thrown, (_, next) -> next);
        return Optional.ofNullable(root.getMessage()).orElse(root.toString());
    }
}
