package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.Arrays;

/** Converts alarms to and from Avro. */
public final class AlarmCodec {
    private AlarmCodec() {}

    /** Converts an alarm to a record. */
    public static dev.claimstream.schemas.Alarm to(Alarm alarm) {
        return new dev.claimstream.schemas.Alarm(
                alarm.type().text(),
                alarm.device().driver(),
                alarm.device().pool(),
                alarm.device().device(),
                alarm.claims().stream().map(ObjectKey::toString).toList());
    }

    /**
     * Converts a record to an alarm.
     *
     * @throws IllegalArgumentException if the type is unknown
     */
    public static Alarm from(dev.claimstream.schemas.Alarm record) {
        Alarm.AlarmType sort = Arrays.stream(Alarm.AlarmType.values())
                .filter(each -> each.text().equals(record.getSort()))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("an alarm of sort %s is not known".formatted(record.getSort())));
        return new Alarm(
                sort,
                new DeviceId(record.getDriver(), record.getPool(), record.getDevice()),
                record.getClaims().stream().map(AlarmCodec::key).toList());
    }

    private static ObjectKey key(String text) {
        int slash = text.indexOf('/');
        return new ObjectKey(text.substring(0, Math.max(slash, 0)), text.substring(slash + 1));
    }
}
