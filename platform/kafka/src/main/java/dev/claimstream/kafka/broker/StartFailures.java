package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerStartException.StartFailureKind;
import java.nio.file.Path;

/** Maps failures of Kafka's start to exceptions with a one-line message. Kafka reports the cause only as text. */
final class StartFailures {
    private StartFailures() {}

    static BrokerStartException of(Throwable thrown, Path folder) {
        String reason = messages(thrown);
        if (reason.contains("Address already in use")) {
            return new BrokerStartException(
                    StartFailureKind.PORT_IN_USE,
                    "Another process took a port: " + reason,
                    "Start again, or name another port",
                    thrown);
        }
        return new BrokerStartException(
                StartFailureKind.REFUSED,
                "Kafka does not start on the folder %s: %s".formatted(folder, reason),
                "See its last log lines, or name another folder for an empty broker",
                thrown);
    }

    static BrokerStartException of(BrokerFault fault) {
        StartFailureKind kind = switch (fault.kind()) {
            case DISK_FULL, FOLDER_FAILED -> StartFailureKind.FOLDER_UNUSABLE;
            case STOPPED -> StartFailureKind.REFUSED;
        };
        return new BrokerStartException(kind, fault.cause(), fault.remedy(), null);
    }

    private static String messages(Throwable thrown) {
        var all = new StringBuilder();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            all.append(all.isEmpty() ? "" : ": ").append(each.getMessage());
        }
        return all.toString().replace('\n', ' ');
    }
}
