// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface Token {
    function mint(address to, uint256 value) external;
    function moveAs(address from, address to, uint256 value) external;
}

/// Gives test money away, once per key: the chain itself remembers which requests it has served. So a repeated request
/// changes nothing, even after a restart, and a request that a reorganization dropped can be repeated.
contract SandboxFaucet {
    event Served(bytes32 indexed key);

    mapping(bytes32 => bool) public isServed;

    /// The account whose key the local node holds.
    address public constant OPERATOR = 0x5Ef955ed13591B582eD876a332423EFADDAf05FE;

    modifier once(bytes32 key) {
        require(msg.sender == OPERATOR, "not the operator");
        require(!isServed[key], "already served");
        isServed[key] = true;
        emit Served(key);
        _;
    }

    function giveNative(bytes32 key, address payable to) external payable once(key) {
        (bool sent,) = to.call{value: msg.value}("");
        require(sent, "not received");
    }

    function give(bytes32 key, Token token, address to, uint256 value) external once(key) {
        token.mint(to, value);
    }

    /// Lets `from` send tokens: mints them first, so the sender's balance does not matter.
    function giveFrom(bytes32 key, Token token, address from, address to, uint256 value) external once(key) {
        token.mint(from, value);
        token.moveAs(from, to, value);
    }

    /// Calls a token's owner functions, such as blacklist(address) or pause().
    function administer(bytes32 key, address token, bytes calldata data) external once(key) {
        (bool done, bytes memory reason) = token.call(data);
        if (!done) {
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
    }
}
