package dev.claimstream.kafka;

/** Why the bytes of a record cannot be decoded. Codes are stable: metrics and {@code bad-records.v1} contain them. */
public enum BadRecordReason {
    /** The first byte is not zero: it is not Confluent's wire format. */
    NO_MAGIC_BYTE("NoMagicByte"),
    /** The registry does not know the schema id. */
    UNKNOWN_SCHEMA("UnknownSchema"),
    /** The schema is incompatible with the schema of the topic. */
    WRONG_SCHEMA("WrongSchema"),
    /** The bytes end before the value does. */
    TRUNCATED("Truncated"),
    /** Bytes follow the value. */
    TRAILING_BYTES("TrailingBytes"),
    /** The value exceeds the maximum size. */
    TOO_LARGE("TooLarge"),
    /** The bytes do not match their schema. */
    MALFORMED("Malformed"),
    /** The value breaks a rule of the contract. */
    RULE_BROKEN("RuleBroken");

    private final String code;

    BadRecordReason(String code) {
        this.code = code;
    }

    /** The code in metrics and records. */
    public String code() {
        return code;
    }
}
