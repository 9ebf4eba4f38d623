package dev.claimstream.selectors.evaluation;

import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.ast.CelExpr.CelStruct;
import dev.claimstream.selectors.functions.ProtobufMessages;
import dev.claimstream.selectors.functions.ValueTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A node of a plan that has a value. */
abstract class PlanStep {
    /** Returns the id of the node in the expression tree. */
    abstract int id();

    /** Returns the value of the node or a {@link EvaluationFailure}, and pushes it to the meter. */
    abstract Object eval(EvaluationFrame frame);

    private static void checkHashable(Object value) {
        if (!ValueTypes.isHashable(value)) {
            throw EvaluationAbortException.byPanic(
                    "runtime error: hash of unhashable type " + ValueTypes.goTypeOf(value));
        }
    }

    /** A step with a fixed id. */
    abstract static class PlanNode extends PlanStep {
        final int id;

        PlanNode(int id) {
            this.id = id;
        }

        @Override
        final int id() {
            return id;
        }
    }

    /** A value known at planning time. Free. */
    static final class Constant extends PlanNode {
        final Object value;

        Constant(int id, Object value) {
            super(id);
            this.value = value;
        }

        @Override
        Object eval(EvaluationFrame frame) {
            frame.meter().push(id, value);
            return value;
        }
    }

    /** {@code &&} and {@code ||}: the first decisive term ends the evaluation; an error counts only if no term is decisive. Free. */
    static final class LogicalOperator extends PlanNode {
        private final PlanStep[] terms;
        private final Boolean decisive;

        LogicalOperator(int id, PlanStep[] terms, boolean decisive) {
            super(id);
            this.terms = terms;
            this.decisive = decisive;
        }

        @Override
        Object eval(EvaluationFrame frame) {
            Object value = value(frame);
            for (PlanStep term : terms) {
                frame.meter().drop(term.id());
            }
            frame.meter().push(id, value);
            return value;
        }

        private Object value(EvaluationFrame frame) {
            Object otherwise = !decisive;
            for (PlanStep term : terms) {
                Object value = term.eval(frame);
                if (decisive.equals(value)) {
                    return decisive;
                }
                if (!(value instanceof Boolean) && !(otherwise instanceof EvaluationFailure)) {
                    otherwise = EvaluationFailure.of(value);
                }
            }
            return otherwise;
        }
    }

    /** {@code a.or(b)} and {@code a.orValue(b)}: the second operand is evaluated only if the first one is empty. Free. */
    static final class OptionalAlternative extends PlanNode {
        private final PlanStep first;
        private final PlanStep second;
        private final boolean isUnwrapping;

        OptionalAlternative(int id, PlanStep first, PlanStep second, boolean unwraps) {
            super(id);
            this.first = first;
            this.second = second;
            this.isUnwrapping = unwraps;
        }

        @Override
        Object eval(EvaluationFrame frame) {
            Object value = first.eval(frame);
            if (!(value instanceof Optional<?> optional)) {
                value = EvaluationFailure.of(value);
            } else if (optional.isEmpty()) {
                value = second.eval(frame);
            } else if (isUnwrapping) {
                value = optional.get();
            }
            frame.meter().push(id, value);
            return value;
        }
    }

    /** {@code x in [1, 2]} with simple constants, which upstream converts to a set. Free. */
    static final class Membership extends PlanNode {
        private static final Object NOTHING = new Object();

        private final PlanStep element;
        private final Set<Object> members;

        Membership(int id, PlanStep value, List<?> members) {
            super(id);
            this.element = value;
            this.members = members.stream().map(Membership::comparable).collect(ImmutableSet.toImmutableSet());
        }

        @Override
        Object eval(EvaluationFrame frame) {
            Object value = element.eval(frame);
            if (!(value instanceof EvaluationFailure)) {
                checkHashable(value);
                value = members.contains(comparable(value));
            }
            frame.meter().push(id, value);
            return value;
        }

        /**
         * Converts a value to a form in which numbers of different types are equal. Values that cannot be members get a common placeholder.
         */
        private static Object comparable(Object value) {
            return switch (value) {
                case Long _, String _, Boolean _ -> value;
                case UnsignedLong number when number.bigIntegerValue().bitLength() < Long.SIZE -> number.longValue();
                case UnsignedLong number -> number;
                case Double number when number == Math.rint(number) && Math.abs(number) < 0x1p63 -> number.longValue();
                case Double number when !number.isNaN() -> number;
                default -> NOTHING;
            };
        }
    }

    /** A value composed of the values of other nodes, at a fixed cost. */
    private abstract static class ConstructionNode extends PlanNode {
        final PlanStep[] parts;
        private final long cost;

        ConstructionNode(int id, PlanStep[] parts, long cost) {
            super(id);
            this.parts = parts;
            this.cost = cost;
        }

        abstract Object value(EvaluationFrame frame);

        /** Adds an entry and returns the map or a {@link EvaluationFailure}. An optional entry adds its value; an empty one removes the key. */
        static <K> Object put(Map<K, Object> map, K key, Object value, boolean isOptional) {
            if (!isOptional) {
                map.put(key, value);
            } else if (!(value instanceof Optional<?> present)) {
                return new EvaluationFailure(
                        "cannot initialize optional entry '%s' from non-optional value %s".formatted(key, value));
            } else if (present.isPresent()) {
                map.put(key, present.get());
            } else {
                map.remove(key);
            }
            return map;
        }

        @Override
        final Object eval(EvaluationFrame frame) {
            Object value = value(frame);
            var _ = frame.meter().removeAll(parts);
            frame.meter().charge(cost);
            frame.meter().push(id, value);
            return value;
        }
    }

    /** {@code [a, ?b]}. */
    static final class NewList extends ConstructionNode {
        private static final long COST = 10;

        private final Set<Integer> optional;

        NewList(int id, PlanStep[] elements, Set<Integer> optional) {
            super(id, elements, COST);
            this.optional = optional;
        }

        @Override
        Object value(EvaluationFrame frame) {
            List<Object> list = new ArrayList<>(parts.length);
            for (int i = 0; i < parts.length; i++) {
                Object element = parts[i].eval(frame);
                if (element instanceof EvaluationFailure) {
                    return element;
                }
                if (!optional.contains(i)) {
                    list.add(element);
                } else if (element instanceof Optional<?> present) {
                    present.ifPresent(list::add);
                } else {
                    return new EvaluationFailure(
                            "cannot initialize optional list element from non-optional value " + element);
                }
            }
            return Collections.unmodifiableList(list);
        }
    }

    /** {@code {k: v, ?o: w}}. */
    static final class NewMap extends ConstructionNode {
        private static final long COST = 30;

        private final Set<Integer> optional;

        /** @param entries alternating keys and values */
        NewMap(int id, PlanStep[] entries, Set<Integer> optional) {
            super(id, entries, COST);
            this.optional = optional;
        }

        @Override
        Object value(EvaluationFrame frame) {
            Map<Object, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < parts.length; i += 2) {
                Object key = parts[i].eval(frame);
                if (key instanceof EvaluationFailure) {
                    return key;
                }
                Object value = parts[i + 1].eval(frame);
                if (value instanceof EvaluationFailure) {
                    return value;
                }
                checkHashable(key);
                Object put = put(map, key, value, optional.contains(i / 2));
                if (put instanceof EvaluationFailure) {
                    return put;
                }
            }
            return Collections.unmodifiableMap(map);
        }
    }

    /** {@code Type{field: value, ?other: optional}}. */
    static final class NewMessage extends ConstructionNode {
        private static final long COST = 40;

        private final String type;
        private final List<CelStruct.Entry> fields;

        /** @param values of the fields, in their order */
        NewMessage(int id, CelStruct message, PlanStep[] values) {
            super(id, values, COST);
            this.type = message.messageName();
            this.fields = message.entries();
        }

        @Override
        Object value(EvaluationFrame frame) {
            Map<String, Object> set = new LinkedHashMap<>();
            for (int i = 0; i < parts.length; i++) {
                Object value = parts[i].eval(frame);
                if (value instanceof EvaluationFailure) {
                    return value;
                }
                String field = fields.get(i).fieldKey();
                Object put = put(set, field, value, fields.get(i).optionalEntry());
                if (put instanceof EvaluationFailure) {
                    return put;
                }
            }
            frame.meter().countInspection(set.values().toArray());
            try {
                return ProtobufMessages.create(type, set);
            } catch (IllegalArgumentException e) {
                return new EvaluationFailure(String.valueOf(e.getMessage()));
            }
        }
    }
}
