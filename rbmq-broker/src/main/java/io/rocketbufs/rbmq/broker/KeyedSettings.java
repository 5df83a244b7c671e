package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.rocketbufs.settings.Secrets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The values of a broker's settings by key, as text, used to compare two configurations. Client keys are omitted, as
 * are users and credentials, whose values are secret.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param values the values, sorted by key
 * @param rules the rules of {@code rbmq.topics} by filter, in their configured order
 */
record KeyedSettings(Map<String, Value> values, Map<String, Value> rules) {
    private static final List<String> ROOTS = List.of("rbmq", "rocketbufs");
    private static final String RULES = "rbmq.topics";
    private static final String MATCH = "match";
    private static final List<String> OTHERS =
            List.of("rbmq.client.", "rbmq.publisher.", "rbmq.subscriber.", "rbmq.users", "rbmq.credentials", RULES);

    /**
     * One value.
     *
     * @param shown the value as written in the configuration; *** for a secret
     * @param meaning a normalized form that is equal for texts with the same meaning, such as 1 MiB and 1048576; for a
     *     secret, its hash
     */
    record Value(String shown, String meaning) {
        static Value of(String key, ConfigValue value) {
            String written = String.valueOf(value.unwrapped());
            return Secrets.isSecret(key)
                    ? new Value("***", TokenHash.of(written).hex())
                    : of(value);
        }

        static Value of(ConfigValue value) {
            boolean isPlain = value.valueType() != ConfigValueType.LIST && value.valueType() != ConfigValueType.OBJECT;
            String shown = isPlain
                    ? String.valueOf(value.unwrapped())
                    : value.render(ConfigRenderOptions.concise().setJson(false));
            return new Value(shown, isPlain ? meaning(value.atKey(MATCH), shown) : shown);
        }

        private static String meaning(Config value, String shown) {
            try {
                return "flag " + value.getBoolean(MATCH);
            } catch (ConfigException notBoolean) {
                // Not a boolean: try the next type.
            }
            try {
                return value.getBytes(MATCH) + " bytes";
            } catch (ConfigException notBytes) {
                // Not a byte count: try the next type.
            }
            try {
                return value.getDuration(MATCH).toNanos() + " ns";
            } catch (ConfigException | ArithmeticException notDuration) {
                return shown;
            }
        }

        /** Returns only the shown value, because a short secret could be recovered from its hash. */
        @Override
        public String toString() {
            return shown;
        }

        /** Returns true if both values have the same meaning. */
        static boolean areSame(Value one, Value other) {
            return one == other || one != null && other != null && Objects.equals(one.meaning, other.meaning);
        }
    }

    /** Reads all values of a resolved configuration that has already been validated. */
    static KeyedSettings from(Config config) {
        Map<String, Value> values = new TreeMap<>();
        config.entrySet().stream()
                .filter(entry -> isIncluded(entry.getKey()))
                .forEach(entry -> values.put(entry.getKey(), Value.of(entry.getKey(), entry.getValue())));
        return new KeyedSettings(values, rules(config.getList(RULES)));
    }

    private static boolean isIncluded(String key) {
        return ROOTS.contains(key.substring(0, Math.max(0, key.indexOf('.'))))
                && OTHERS.stream().noneMatch(key::startsWith);
    }

    private static Map<String, Value> rules(ConfigList list) {
        Map<String, Value> rules = new LinkedHashMap<>();
        for (ConfigValue element : list) {
            if (element instanceof ConfigObject rule && rule.containsKey(MATCH)) {
                // A later rule with the same filter never applies, so the first one is recorded.
                rules.putIfAbsent(String.valueOf(rule.get(MATCH).unwrapped()), Value.of(rule.withoutKey(MATCH)));
            }
        }
        return rules;
    }

    /** Returns a copy in which each key that satisfies the condition has its value from {@code other}. */
    KeyedSettings with(Predicate<String> condition, KeyedSettings other) {
        Map<String, Value> merged = new TreeMap<>(values);
        merged.keySet().removeIf(condition);
        other.values.forEach((key, value) -> {
            if (condition.test(key)) {
                merged.put(key, value);
            }
        });
        return new KeyedSettings(merged, rules);
    }
}
