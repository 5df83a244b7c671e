package io.rocketbufs.livestream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class LivestreamConfigurationTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "rocketbufs.transport=rdma",
                "livestream.ingest.port=0",
                "livestream.relay.port=0",
                "livestream.relay.address=localhost:7620",
                "livestream.edge.port=0"
            })
    void shouldAcceptEveryKeyThatScriptsSet(String set) {
        int equals = set.indexOf('=');
        assertThat(load(set).getString(set.substring(0, equals))).isEqualTo(set.substring(equals + 1));
    }

    @Test
    void shouldSuggestALivestreamKey() {
        assertThatThrownBy(() -> load("livestream.relay.prt=1"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("did you mean livestream.relay.port?");
    }

    private static Config load(String set) {
        return CommandLine.populateCommand(new ConfigOptions(LivestreamSettings.ROOT), "--set", set)
                .load();
    }
}
