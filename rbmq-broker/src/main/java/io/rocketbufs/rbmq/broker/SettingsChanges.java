package io.rocketbufs.rbmq.broker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The differences between the settings in force and their replacement, one line each. A line names the key, both values
 * unless they are secret, and when the new value takes effect.
 */
final class SettingsChanges {
    private static final String BUFFERS = "rbmq.broker.";
    private static final String RULES = "rbmq.topics";
    private static final String USERS = "rbmq.users: ";
    private static final String FOR_TOPICS = ", for topics announced from now on";
    private static final String FOR_GROUPS = ", for groups that begin to read a publisher's buffer from now on";
    private static final String FOR_REQUESTS = ", for requests from now on";
    /**
     * The sections whose keys apply without a restart. Each value is the part of the line that states when the keys
     * take effect.
     */
    private static final Map<String, String> APPLIED = new LinkedHashMap<>();

    static {
        APPLIED.put(BUFFERS + "topics-per-filter", FOR_REQUESTS);
        APPLIED.put(BUFFERS + "group-batch", FOR_GROUPS);
        APPLIED.put(BUFFERS, FOR_TOPICS);
        APPLIED.put("rbmq.limits.", FOR_REQUESTS);
        APPLIED.put("rbmq.anonymous.", "");
        APPLIED.put("rbmq.insecure", "");
        APPLIED.put("rbmq.log-level", "");
    }

    private final BrokerSettings before;
    private final BrokerSettings after;

    /**
     * Compares settings.
     *
     * @param before the settings in force
     * @param after the settings that replace them
     */
    SettingsChanges(BrokerSettings before, BrokerSettings after) {
        this.before = before;
        this.after = after;
    }

    /** Returns true if a running broker cannot change the value of the key. */
    static boolean needsRestart(String key) {
        return effect(key) == null;
    }

    /** Returns the part of a line that states when a value takes effect; null if a restart is needed. */
    private static String effect(String key) {
        return APPLIED.entrySet().stream()
                .filter(entry -> key.startsWith(entry.getKey()))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElse(null);
    }

    /** Returns the changes that a reload puts into force. */
    List<String> applied() {
        List<String> lines = new ArrayList<>();
        addUsers(lines);
        addCredentials(lines);
        for (String key : changedKeys()) {
            if (!needsRestart(key)) {
                lines.add(line(key) + effect(key));
            }
        }
        addRules(lines);
        return lines;
    }

    /** Returns the changes that need a restart. */
    List<String> notApplied() {
        return changedKeys().stream()
                .filter(SettingsChanges::needsRestart)
                .map(key -> line(key) + " is not applied, because it needs a restart")
                .toList();
    }

    private Set<String> changedKeys() {
        Set<String> keys = new TreeSet<>(before.values().values().keySet());
        keys.addAll(after.values().values().keySet());
        keys.removeIf(key -> KeyedSettings.Value.areSame(
                before.values().values().get(key), after.values().values().get(key)));
        return keys;
    }

    private String line(String key) {
        return key + ": " + shown(before.values().values().get(key)) + " -> "
                + shown(after.values().values().get(key));
    }

    private static String shown(KeyedSettings.Value value) {
        if (value == null) {
            return "(not set)";
        }
        return value.shown().isEmpty() ? "\"\"" : value.shown();
    }

    // Changes of users.

    private void addUsers(List<String> lines) {
        Map<String, UserSettings> former = named(before.access());
        Map<String, UserSettings> next = named(after.access());
        former.forEach((name, user) -> {
            if (!next.containsKey(name)) {
                lines.add(USERS + user.describe() + " removed");
            }
        });
        next.forEach((name, user) -> {
            if (!former.containsKey(name)) {
                lines.add(USERS + user.describe() + " added");
            } else {
                addChanges(former.get(name), user, lines);
            }
        });
    }

    private static Map<String, UserSettings> named(AccessSettings access) {
        Map<String, UserSettings> byName = new LinkedHashMap<>();
        access.users().stream().filter(user -> user.name() != null).forEach(user -> byName.put(user.name(), user));
        return byName;
    }

    private static void addChanges(UserSettings former, UserSettings next, List<String> lines) {
        String start = USERS + next.describe() + ": ";
        if (!former.hasSameProof(next)) {
            lines.add(start + (next.token() == null ? "certificate" : "token") + " replaced");
        }
        addRights(
                start + "publish",
                former.permissions().publish(),
                next.permissions().publish(),
                lines);
        addRights(
                start + "subscribe",
                former.permissions().subscribe(),
                next.permissions().subscribe(),
                lines);
        if (former.admin() != next.admin()) {
            lines.add(start + "admin: " + former.admin() + " -> " + next.admin());
        }
        if (former.maxConnections() != next.maxConnections()) {
            lines.add(start + "max-connections: " + limit(former) + " -> " + limit(next) + ", for new connections");
        }
    }

    private static void addRights(String start, TopicRights former, TopicRights next, List<String> lines) {
        if (!former.hasFiltersOf(next)) {
            lines.add(start + ": " + shown(former) + " -> " + shown(next));
        }
    }

    private static String shown(TopicRights rights) {
        return rights.isEmpty() ? "nothing" : rights.describe();
    }

    private static String limit(UserSettings user) {
        return user.maxConnections() == Integer.MAX_VALUE ? "no limit" : String.valueOf(user.maxConnections());
    }

    private void addCredentials(List<String> lines) {
        long added = countNameless(after.access(), before.access());
        long removed = countNameless(before.access(), after.access());
        if (added > 0) {
            lines.add("rbmq.credentials: tokens added: " + added);
        }
        if (removed > 0) {
            lines.add("rbmq.credentials: tokens removed: " + removed);
        }
    }

    /** Returns the number of users without a name that exist only in the first settings. */
    private static long countNameless(AccessSettings access, AccessSettings others) {
        return access.users().stream()
                .filter(user -> user.name() == null)
                .filter(user -> others.users().stream().noneMatch(user::isSame))
                .count();
    }

    // Changes of topic rules.

    private void addRules(List<String> lines) {
        Map<String, KeyedSettings.Value> former = before.values().rules();
        Map<String, KeyedSettings.Value> next = after.values().rules();
        former.forEach((match, rule) -> {
            if (!next.containsKey(match)) {
                lines.add(rule(match) + " removed" + FOR_TOPICS);
            }
        });
        next.forEach((match, rule) -> {
            KeyedSettings.Value known = former.get(match);
            if (known == null) {
                lines.add(rule(match) + " added: " + keys(rule) + FOR_TOPICS);
            } else if (!KeyedSettings.Value.areSame(known, rule)) {
                lines.add(rule(match) + ": " + keys(known) + " -> " + keys(rule) + FOR_TOPICS);
            }
        });
        if (!common(former, next).equals(common(next, former))) {
            lines.add(RULES + ": the rules have another order" + FOR_TOPICS);
        }
    }

    private static String keys(KeyedSettings.Value rule) {
        return rule.shown().equals("{}") ? "no other keys" : rule.shown();
    }

    private static String rule(String match) {
        return RULES + ": rule \"" + match + "\"";
    }

    /** Returns the filters that both sets of rules contain, in the order of the first. */
    private static List<String> common(
            Map<String, KeyedSettings.Value> rules, Map<String, KeyedSettings.Value> others) {
        Set<String> common = new LinkedHashSet<>(rules.keySet());
        common.retainAll(others.keySet());
        return List.copyOf(common);
    }
}
