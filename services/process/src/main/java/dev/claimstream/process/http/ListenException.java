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
        this(
                host,
                port,
                cause,
                "end the program that uses the port, or change %1$s.host or %1$s.port".formatted(settings));
    }

    private ListenException(String host, int port, Throwable cause, String remedy) {
        super("cannot listen on %s:%d: %s: %s".formatted(host, port, reason(cause), remedy), cause);
    }

    /** Returns the exception of a service whose port does not come from its settings. */
    public static ListenException withRemedy(String host, int port, Throwable cause, String remedy) {
        return new ListenException(host, port, cause, remedy);
    }

    /** Returns the exception of a service in a chain of causes. Dependency injection wraps the exceptions of factories. */
    public static Optional<ListenException> in(Throwable thrown) {
        return causes(thrown)
                .filter(ListenException.class::isInstance)
                .map(ListenException.class::cast)
                .findFirst();
    }

    private static Stream<Throwable> causes(Throwable thrown) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream);
    }

    /** The message of the root cause; its type if it has none, as for an unknown host. */
    private static String reason(Throwable thrown) {
        Throwable root = causes(thrown).reduce(thrown, (_, next) -> next);
        return Optional.ofNullable(root.getMessage()).orElse(root.toString());
    }
}
