package io.rocketbufs.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.rocketbufs.settings.Secrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** A listing of all values in a configuration, each with its origin. It does not show secrets. */
final class EffectiveConfiguration {
    private static final ConfigRenderOptions CONCISE = ConfigRenderOptions.concise();
    private static final String HIDDEN = "***";

    private final List<String> lines = new ArrayList<>();

    private EffectiveConfiguration() {}

    /**
     * Returns one line per value, sorted by key: {@code key = value # origin}.
     *
     * @param roots the top-level names of the values to list
     */
    static List<String> lines(Config config, Set<String> roots) {
        EffectiveConfiguration listing = new EffectiveConfiguration();
        new TreeMap<>(config.root()).forEach((root, value) -> {
            if (roots.contains(root)) {
                listing.add(root, value, false);
            }
        });
        return listing.lines;
    }

    private void add(String key, ConfigValue value, boolean isSecret) {
        if (value instanceof ConfigObject section && !section.isEmpty()) {
            new TreeMap<>(section)
                    .forEach((name, each) -> add(key + "." + ConfigUtil.joinPath(name), each, Secrets.isSecret(name)));
        } else if (value instanceof ConfigList list && isListOfSections(list)) {
            for (int i = 0; i < list.size(); i++) {
                add(key + "[" + i + "]", list.get(i), false);
            }
        } else {
            lines.add(key + " = " + shown(value, isSecret) + " # " + origin(value.origin()));
        }
    }

    private static boolean isListOfSections(ConfigList list) {
        return !list.isEmpty() && list.stream().allMatch(each -> each.valueType() == ConfigValueType.OBJECT);
    }

    private static String shown(ConfigValue value, boolean isSecret) {
        if (!isSecret || value.unwrapped().equals("")) {
            return value.render(CONCISE);
        }
        return value instanceof ConfigList list
                ? list.stream().map(each -> HIDDEN).toList().toString()
                : HIDDEN;
    }

    private static String origin(ConfigOrigin origin) {
        String text = origin.description();
        if (text.startsWith("reference.conf")) {
            return "default";
        }
        return text.equals(ConfigOptions.COMMAND_LINE) ? "--set" : text;
    }
}
