package dev.claimstream.console;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The unmanaged device classes of a claim. */
final class UnmanagedClasses {
    private UnmanagedClasses() {}

    /**
     * Returns the claim's classes if all of them are unmanaged, else an empty list.
     * As in the cell, an unknown class does not count as unmanaged.
     *
     * @param find looks up an object
     */
    static List<String> of(ResourceClaim claim, BiFunction<Kind, ObjectKey, Optional<ClusterObject>> find) {
        List<String> classes = claim.spec().requests().stream()
                .flatMap(UnmanagedClasses::classes)
                .distinct()
                .sorted()
                .toList();
        boolean areAll = classes.stream()
                .allMatch(name -> find.apply(Kind.DEVICE_CLASS, ObjectKey.cluster(name))
                        .filter(UnmanagedClasses::isUnmanaged)
                        .isPresent());
        return areAll ? classes : List.of();
    }

    private static boolean isUnmanaged(ClusterObject object) {
        return object instanceof DeviceClass found && found.allocator() == DeviceClass.ClassAllocator.OTHERS;
    }

    private static Stream<String> classes(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec().deviceClassName());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(each -> each.spec().deviceClassName());
            case DeviceRequest.UnknownRequest _ -> Stream.of("");
        };
    }

    /** Describes the classes as unmanaged. */
    static String text(List<String> classes) {
        return classes.size() == 1
                ? "class %s is unmanaged".formatted(classes.getFirst())
                : "classes %s are unmanaged".formatted(String.join(" and ", classes));
    }
}
