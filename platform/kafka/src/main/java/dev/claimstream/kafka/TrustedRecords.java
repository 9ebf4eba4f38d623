package dev.claimstream.kafka;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.avro.util.ClassSecurityValidator;

/** Avro makes only objects of classes that it was told to trust; it is told of the packages whose records are read and written here. */
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
