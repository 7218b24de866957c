// One end of a connection as the server has it, with a client at the other.
#pragma once

#include <gtest/gtest.h>

#include "emu/remote/channel.hpp"
#include "tests/support/vfio_client.hpp"

namespace spinup::test {

using namespace std::chrono_literals;
using namespace remote;
using bytes = std::vector<u8>;
using remote::wire::command;

struct connected_channel : testing::Test {
    explicit connected_channel(duration patience = 0s) {
        auto [theirs, ours] = socket_pair();
        client.emplace(std::move(theirs), [] {});
        c.emplace(std::move(ours), patience);
    }
    /// Reads until nothing comes any more.
    std::vector<incoming_message> all() {
        std::vector<incoming_message> out;
        while (c->read())
            while (auto m = c->next()) {
                stored.emplace_back(m->bytes.begin(), m->bytes.end());
                out.push_back(std::move(*m));
            }
        return out;
    }
    static bytes posted(u32 value) {
        return vfio_client::build(1, command::region_write, vfio_client::write_of(5, 0x118, value),
                                  wire::no_reply);
    }
    static bytes mapping() {
        return vfio_client::build(2, command::dma_map,
                                  bytes_of(wire::dma_map{32, 3, 0, 0x1000, 0x1000}));
    }

    /// The channel's first question is how the client counts; by the specification, so.
    void refuse_too_much() {
        client->send_raw(
            vfio_client::build(0, command::dma_read, {}, wire::type_reply | wire::error));
    }
    static bytes data_reply(u16 id, std::initializer_list<u8> data) {
        return vfio_client::build(id, command::dma_read,
                                  joined(wire::dma_access{0x5000, data.size()}, bytes(data)),
                                  wire::type_reply);
    }

    std::optional<vfio_client> client;
    std::optional<channel> c;
    std::vector<bytes> stored;
    std::size_t served = 0; ///< messages that came while an answer was awaited
    const channel::interruption serve = [this](incoming_message m) {
        ++served;
        stored.push_back(std::move(m.bytes));
        return true;
    };
    const channel::interruption give_up = [](const incoming_message&) { return false; };
};

} // namespace spinup::test
