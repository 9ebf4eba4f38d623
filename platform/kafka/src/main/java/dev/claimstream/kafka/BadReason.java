package dev.claimstream.kafka;

/** Why the bytes of a record are no value. The code is stable: metrics and {@code bad-records.v1} carry it. */
public enum BadReason {
    /** It does not begin with a zero byte: something else than Confluent's wire format. */
    NO_MAGIC_BYTE("NoMagicByte"),
    /** The registry does not know the schema id that it names. */
    UNKNOWN_SCHEMA("UnknownSchema"),
    /** Its schema cannot be read as the record of this topic. */
    WRONG_SCHEMA("WrongSchema"),
    /** It ends before the value does. */
    TRUNCATED("Truncated"),
    /** Bytes follow the value. */
    TRAILING_BYTES("TrailingBytes"),
    /** It has more bytes than a value may have. */
    TOO_LARGE("TooLarge"),
    /** The bytes are not what the schema says. */
    MALFORMED("Malformed"),
    /** It can be read, and says something that the contract forbids. */
    RULE_BROKEN("RuleBroken");

    private final String code;

    BadReason(String code) {
        this.code = code;
    }

    /** The name in metrics and records. */
    public String code() {
        return code;
    }
}
