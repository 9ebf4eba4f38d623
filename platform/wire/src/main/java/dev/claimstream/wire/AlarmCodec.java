package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.schemas.AlarmRecord;
import java.util.Arrays;

/** Converts alarms to and from Avro. */
public final class AlarmCodec {
    private AlarmCodec() {}

    /** Converts an alarm to a record. */
    public static AlarmRecord to(Alarm alarm) {
        return new AlarmRecord(
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
    public static Alarm from(AlarmRecord record) {
        Alarm.AlarmType kind = Arrays.stream(Alarm.AlarmType.values())
                .filter(each -> each.text().equals(record.getKind()))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("an alarm of kind %s is not known".formatted(record.getKind())));
        return new Alarm(
                kind,
                new DeviceId(record.getDriver(), record.getPool(), record.getDevice()),
                record.getClaims().stream().map(AlarmCodec::key).toList());
    }

    private static ObjectKey key(String text) {
        int slash = text.indexOf('/');
        return new ObjectKey(text.substring(0, Math.max(slash, 0)), text.substring(slash + 1));
    }
}
