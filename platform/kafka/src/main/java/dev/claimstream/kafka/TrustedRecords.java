package dev.claimstream.kafka;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.avro.util.ClassSecurityValidator;

/**
 * Allows Avro to instantiate the record classes of trusted packages.
 *
 * <p>Avro rejects classes that are not trusted. Each serde adds the package of its records.
 */
final class TrustedRecords {
    private static final Set<String> PACKAGES = ConcurrentHashMap.newKeySet();

    static {
        ClassSecurityValidator.setGlobal(ClassSecurityValidator.composite(
                ClassSecurityValidator.getGlobal(),
                type -> SpecificRecord.class.isAssignableFrom(type) && PACKAGES.contains(type.getPackageName())));
    }

    private TrustedRecords() {}

    static void trustPackageOf(Class<? extends SpecificRecord> type) {
        PACKAGES.add(type.getPackageName());
    }
}
