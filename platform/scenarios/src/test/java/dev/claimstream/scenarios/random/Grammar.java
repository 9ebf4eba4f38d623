package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Random expressions over the functions of device selectors, mostly well-typed. The types of the holes in templates are
 * b boolean, i int, u uint, d double, s text, y bytes, q quantity, v version, l list of ints, m list of texts, g list
 * of any type, p map, o optional int, r url, a IP address, n CIDR network, t timestamp, c duration, k type, x variable
 * of a macro, z value of unknown type.
 */
public final class Grammar {
    private static final Map<String, List<String>> TEMPLATES = read("""
            b true|false|device.allowMultipleAllocations|{i} < {i}|{i} == {i}|{i} != {i}|{d} >= {d}|{s} == {s}|{s} < {s}|{s} != {s}|{q} == {q}|{v} == {v}
            b {b} && {b}|{b} || {b}|!{b}|{b} ? {b} : {b}|{z} == {i}|{z} == {s}|{s} == {z}|{z} != {z}|{v} != {z}|{z} == {v}|{q} == {z}|{z} < {i}|{i} <= {z}
            b {s}.startsWith({s})|{s}.endsWith({s})|{s}.contains({s})|{s}.matches("^[a-z]+$")|{s}.matches("(a|b)*c")|{z}.matches("H[0-9]+")|{s}.matches({s})
            b {q}.isGreaterThan({q})|{q}.isLessThan({q})|{q}.isInteger()|{q}.compareTo({q}) == {i}|isQuantity({s})|{z}.isGreaterThan({q})|{z}.compareTo({v}) < {i}
            b {v}.isGreaterThan({v})|{v}.isLessThan({v})|isSemver({s})|isSemver({s}, {b})|{v}.compareTo({v}) == {i}|{z}.isLessThan({v})
            b {i} in {l}|{s} in {m}|{z} in {m}|{s} in {p}|{z} in {g}|{z} in [{v}]|{g} == {g}|{l} == {l}|{m} != {m}|{p} == {p}
            b {l}.all(x, {x} > {i})|{l}.exists(x, {x} == {i})|{l}.exists_one(x, {x} > {i})|{m}.all(e, e != {s})|{m}.exists(e, e.startsWith({s}))|{z}.exists(x, {x} == {i})
            b {l}.all(i, x, i < {x})|{l}.exists(i, x, {x} == i)|{l}.existsOne(i, x, i == {x})|device.attributes.exists(d, d == {s})|device.attributes.all(d, ids, ids.size() >= {i})
            b device.attributes["a.example.com"].exists(k, k == {s})|{l}.isSorted()|{m}.isSorted()|{z}.isSorted()|{z}.includes({s})|{z}.includes({i})|{m}.includes({s})
            b sets.contains({l}, {l})|sets.equivalent({m}, {m})|sets.intersects({l}, {l})|{o}.hasValue()|optional.none().hasValue()|{p}[?{s}].hasValue()
            b isURL({s})|isIP({s})|isCIDR({s})|ip.isCanonical({s})|{a}.isUnspecified()|{a}.isLoopback()|{a}.isGlobalUnicast()|{n}.containsIP({a})|{n}.containsIP({s})|{n}.containsCIDR({n})
            b {t} < {t}|{t} == {t}|{c} > {c}|{y} == {y}|bool({s})|{r} == {r}|{a} == {a}|type({z}) == {k}|type({i}) == int|has(device.attributes["a.example.com"].model)
            b has(device.attributes["a.example.com"].gone)|has(device.attributes["none"].x)|"model" in device.attributes["a.example.com"]|"none" in device.attributes|{z}
            b device.attributes["a.example.com"].ready|format.dns1123Label().validate({s}).hasValue()|format.named("uuid").hasValue()|format.labelValue().validate({s}) == optional.none()
            b cel.bind(w, {i}, w > {i} || w == {i})|cel.bind(w, {m}, w.size() > {i})|{u} == {u}|{u} < {i}|{d} == {i}|{i} > {d}
            b google.protobuf.BoolValue{value: {b}}|google.protobuf.Empty{} == google.protobuf.Empty{}|google.protobuf.Struct{fields: {p}} == {z}|google.protobuf.ListValue{values: {g}} == {z}
            k google.protobuf.Empty|google.protobuf.Timestamp|google.protobuf.Duration|int|string|bool|list|map|kubernetes.Quantity|kubernetes.Semver|null_type|double
            i 0|1|2|-1|7|9223372036854775807|-9223372036854775808|{i} + {i}|{i} - {i}|{i} * {i}|{i} / {i}|{i} % {i}|-{i}|{b} ? {i} : {i}
            i {s}.size()|size({s})|{l}.size()|{m}.size()|{p}.size()|{z}.size()|{s}.indexOf({s})|{s}.indexOf({s}, {i})|{s}.lastIndexOf({s})|{l}.indexOf({i})|{l}.lastIndexOf({i})|{m}.indexOf({s})
            i {l}.sum()|{l}.min()|{l}.max()|{l}[{i}]|{p}[{s}]|{o}.value()|{o}.orValue({i})|int({s})|int({d})|int({u})|int({z})|int({t})|{q}.compareTo({q})|{q}.asInteger()|{q}.sign()|sign({q})
            i {v}.major()|{v}.minor()|{v}.patch()|{v}.compareTo({v})|{a}.family()|{n}.prefixLength()|{t}.getFullYear()|{t}.getHours()|{c}.getSeconds()|{t}.getDayOfWeek()
            i device.attributes["a.example.com"].numa|device.attributes["a.example.com"].?numa.orValue({i})|{y}.size()|cel.bind(w, {i}, w + w)|{l}.filter(x, {x} > {i}).size()
            i google.protobuf.Int64Value{value: {i}}|google.protobuf.Int32Value{value: {i}}|google.protobuf.Int64Value{?value: {o}}|google.protobuf.NullValue.NULL_VALUE
            u google.protobuf.UInt64Value{value: {u}}|google.protobuf.UInt32Value{value: {u}}
            d google.protobuf.DoubleValue{value: {d}}|google.protobuf.FloatValue{value: {d}}
            y google.protobuf.BytesValue{value: {y}}
            s google.protobuf.StringValue{value: {s}}
            t google.protobuf.Timestamp{seconds: 86400, nanos: {i}}
            c google.protobuf.Duration{seconds: {i}, nanos: {i}}
            z google.protobuf.Value{number_value: {d}}|google.protobuf.Value{string_value: {s}}|google.protobuf.Value{struct_value: {p}}|google.protobuf.Value{list_value: {g}}|google.protobuf.Value{}
            z google.protobuf.Struct{fields: {p}}|google.protobuf.Struct{fields: {"a": {z}}}|google.protobuf.ListValue{values: {g}}|google.protobuf.Any{type_url: "x/google.protobuf.StringValue", value: {y}}
            u 0u|1u|18446744073709551615u|uint({i})|{u} + {u}|{u} - {u}|{u} * {u}
            d 0.0|1.5|-2.25|1e300|{d} + {d}|{d} / {d}|{d} * {d}|double({i})|double({s})|{q}.asApproximateFloat()|0.1 + 0.2
            s ""|"a"|"model"|"H200"|"A"|"1.0.0"|"10Gi"|"ä€😀"|"a,b,c"|"https://u@example.com:80/a%20b?x=1#f"|"192.168.0.1"|"10.0.0.0/8"|"p0"|"true"|"12"|"2024-01-02T03:04:05Z"|"90s"|device.driver
            s {s} + {s}|{s}.substring({i})|{s}.substring({i}, {i})|{s}.charAt({i})|{s}.lowerAscii()|{s}.upperAscii()|{s}.trim()|{s}.replace({s}, {s})|{s}.replace({s}, {s}, {i})|{m}.join()|{m}.join({s})|{b} ? {s} : {s}
            s string({i})|string({d})|string({b})|string({t})|string({c})|string({z})|string({y})|string({u})|string({a})|string({n})|strings.quote({s})|{m}[{i}]|{s}.find("[0-9]+")|{s}.find({s})
            s "%s %d".format([{s}, {i}])|"%s".format([{z}])|"%.2f|%e".format([{d}, {d}])|"%x %X %o %b".format([{i}, {s}, {i}, {i}])|"%s".format([{g}])|"%s".format([{p}])|"%s".format([{t}])
            s {r}.getHost()|{r}.getHostname()|{r}.getPort()|{r}.getScheme()|{r}.getEscapedPath()|{m}.min()|{m}.max()|device.attributes["a.example.com"].model|device.attributes["other.org"].?rack.orValue({s})
            y b"ab"|b""|bytes({s})|{y} + {y}
            q quantity("1")|quantity("10Gi")|quantity("1500m")|quantity("-3")|quantity({s})|{q}.add({q})|{q}.sub({q})|{q}.add({i})|{q}.sub({i})|device.capacity["a.example.com"].memory|device.capacity["a.example.com"].?memory.orValue({q})|device.capacity["none"].x
            v semver("1.0.0")|semver("2.1.0")|semver("1.0.0-rc.1")|semver("1.0.0+x")|semver({s})|semver({s}, {b})|semver("v1.2", true)|device.attributes["a.example.com"].version
            l []|[1]|[3, 1, 2]|[{i}]|[{i}, {i}]|{l} + {l}|{l}.slice({i}, {i})|{l}.reverse()|{l}.sort()|{l}.distinct()|lists.range({i})|lists.range(5)|{l}.map(x, {x} + 1)|{l}.map(x, {x} > {i}, {x})|{l}.filter(x, {x} > {i})|{l}.sortBy(x, -{x})|[[1], [2, 3]].flatten()|[[1], [2, 3]].flatten({i})|{l}.transformList(i, x, i + {x})
            m []|["a"]|["b", "a", "b"]|["p0", "p1"]|[{s}]|[{s}, {s}]|{m} + {m}|{s}.split(",")|{s}.split({s})|{s}.split({s}, {i})|{s}.findAll("[a-z]")|{s}.findAll("[0-9]+", {i})|{m}.reverse()|{m}.sort()|{m}.distinct()|{m}.filter(e, e != {s})|{m}.map(e, e + {s})|{l}.map(x, string({x}))|{l}.map(x, {s})
            g []|{l}|{m}|[dyn({i}), dyn({s})]|[{v}]|[{q}]|[{z}]|[[{i}], [{i}]]|[[{i}], [[{i}], {l}]].flatten({i})|{g}.flatten()|{g}.reverse()|{g}.slice({i}, {i})
            p {"a": 1}|{"a": 1, "b": 2}|{{s}: {i}}|{"model": {i}, "x": {i}}|{"a": 1}.transformMap(k, w, w + {i})|{m}.transformMapEntry(i, e, {e: i})
            o optional.of({i})|optional.none()|optional.ofNonZeroValue({i})|{o}.or({o})|{l}[?{i}]|{p}[?{s}]|{p}.?a|{o}.optMap(w, w + {i})|{l}.first()|{l}.last()
            r url("https://example.com:8080/a/b?x=1&x=2")|url("http://[::1]/")|url("/only/path")|url({s})
            a ip("192.168.0.1")|ip("::1")|ip("2001:db8::1")|ip({s})|{n}.ip()
            n cidr("192.168.0.0/16")|cidr("10.0.0.0/8")|cidr("2001:db8::/32")|cidr({s})|{n}.masked()
            t timestamp("2024-01-02T03:04:05Z")|timestamp("1970-01-01T00:00:00Z")|timestamp({s})|timestamp({i})|{t} + {c}|{t} - {c}
            c duration("90s")|duration("1h")|duration({s})|{t} - {t}|{c} + {c}
            x x|x|x|x + {i}|x * 2|{i}
            z dyn({i})|dyn({s})|dyn({b})|dyn({d})|dyn({v})|dyn({q})|dyn({l})|dyn({m})|dyn(null)|device.attributes["a.example.com"].model|device.attributes["a.example.com"].numa|device.attributes["a.example.com"].version
            z device.attributes["a.example.com"].root|device.attributes["a.example.com"].links|device.attributes["a.example.com"].gone|device.attributes["a.example.com"][{s}]|device.attributes[{s}].model|device.attributes[device.driver].ready|device.attributes["a.example.com"].?root.orValue({s})
            """);

    private final Dice dice;

    private Grammar(Dice dice) {
        this.dice = dice;
    }

    private static Map<String, List<String>> read(String text) {
        Map<String, List<String>> templates = new TreeMap<>();
        text.lines()
                .filter(line -> !line.isBlank())
                .forEach(line -> templates
                        .computeIfAbsent(line.substring(0, 1), _ -> new ArrayList<>())
                        .addAll(alternatives(line.substring(2))));
        return templates;
    }

    /** Splits a line at single bars; a double bar is an operator. */
    private static List<String> alternatives(String line) {
        return List.of(line.replace(" || ", " \u0000 ")
                        .replace("(a|b)", "(a\u0001b)")
                        .replace("f|%e", "f\u0001%e")
                        .split("\\|"))
                .stream()
                .map(each -> each.replace("\u0000", "||").replace('\u0001', '|'))
                .toList();
    }

    /** Returns the expression of a seed: a boolean, or a value of unknown type. */
    public static ExpressionTree of(long seed) {
        return of(new Dice(seed));
    }

    /** Returns the expression that arbitrary bytes choose. */
    public static ExpressionTree of(byte[] bytes) {
        return of(Dice.of(bytes));
    }

    private static ExpressionTree of(Dice dice) {
        return new Grammar(dice).make(dice.chance(97) ? "b" : "z", dice.between(1, 4));
    }

    static ExpressionTree simplest(String type) {
        return new ExpressionTree(type, plain(type), List.of());
    }

    /** Returns the first template without holes. */
    private static String plain(String type) {
        return templates(type).stream()
                .filter(each -> ExpressionTree.holes(each).isEmpty())
                .findFirst()
                .orElseThrow();
    }

    private static List<String> templates(String type) {
        return Objects.requireNonNull(TEMPLATES.get(type), type);
    }

    private ExpressionTree make(String type, int depth) {
        List<String> templates = templates(type);
        String template = dice.of(templates);
        for (int i = 0; i < 50 && depth <= 0 && !ExpressionTree.holes(template).isEmpty(); i++) {
            template = dice.of(templates);
        }
        if (depth < -2 && !ExpressionTree.holes(template).isEmpty()) {
            template = plain(type);
        }
        List<ExpressionTree> parts = new ArrayList<>();
        for (String hole : ExpressionTree.holes(template)) {
            parts.add(part(hole, depth - 1));
        }
        return new ExpressionTree(type, template, parts);
    }

    /** Returns a part, sometimes of another type, or of unknown type through {@code dyn}. */
    private ExpressionTree part(String type, int depth) {
        if (type.equals("x") || type.equals("k")) {
            return make(type, depth);
        }
        if (dice.chance(2)) {
            return make(dice.of("b", "i", "s", "z", "l", "q", "v"), depth);
        }
        return dice.chance(6)
                ? new ExpressionTree(type, "dyn({" + type + "})", List.of(make(type, depth)))
                : make(type, depth);
    }
}
