package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerStartException.Kind;
import java.nio.file.Path;

/** Says in one line why Kafka did not start. Kafka says it in words only. */
final class StartRefusal {
    private StartRefusal() {}

    static BrokerStartException of(Throwable thrown, Path folder) {
        String why = messages(thrown);
        if (why.contains("Address already in use")) {
            return new BrokerStartException(
                    Kind.PORT_IN_USE,
                    "A port was taken meanwhile: " + why,
                    "Start again, or name another port",
                    thrown);
        }
        return new BrokerStartException(
                Kind.REFUSED,
                "Kafka does not start on the folder %s: %s".formatted(folder, why),
                "Its last log lines say more; another folder starts afresh",
                thrown);
    }

    static BrokerStartException of(BrokerFault fault) {
        Kind kind = switch (fault.kind()) {
            case DISK_FULL, FOLDER_FAILED -> Kind.FOLDER_UNUSABLE;
            case STOPPED -> Kind.REFUSED;
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
